/**
 * The shapes of the BFF's JSON, named as the web speaks of them.
 * Ids are UUIDs in text; times are RFC 3339 strings.
 */

export type SubscriptionStatus = "inactive" | "active" | "past_due" | "canceled";
export type Plan = "free" | "premium" | "deluxe";
export type Reaction = "like" | "dislike";

export interface CreatorRef {
  _id: string;
  username: string;
  pfp: string | null;
}

/** A character as lists show it. A locked one has no text and no image address. */
export interface CharacterCard {
  _id: string;
  name: string;
  age: number | null;
  tags: string[];
  creator: CreatorRef;
  description: string;
  imageUrl: string | null;
  nsfw: boolean;
  public: boolean;
  deluxe: boolean;
  isAiBuddy: boolean;
  likes: number;
  dislikes: number;
  messages: number;
  chats: number;
  follows: number;
  createdAt: string;
  updatedAt: string;
  locked: boolean;
}

export interface Review {
  _id: string;
  user: { _id: string; username: string; avatar: string | null };
  rating: number;
  comment: string;
  createdAt: string;
}

export interface Character extends CharacterCard {
  personality: string;
  firstMessage: string;
  scenario: string;
  exampleConversation: string;
  kinks: string;
  outfit: string;
  prompt: string;
  comments: number;
  followCount: number;
  reviewsCount: number;
  averageRating: number | null;
  reviews: Review[];
  state: "live" | "pending" | "removed";
  portraitPending: boolean;
  sample: boolean;
  /** Name of the coloured light the portrait stands in (`amber`, `rose` …). */
  gel: string | null;
}

export interface CharacterPage {
  character: Character;
  userReaction: Reaction | null;
  isFollowing: boolean;
  isFollowingCreator: boolean;
}

/** A page of a list that only knows whether there is more. */
export interface CharacterList {
  characters: CharacterCard[];
  hasMore: boolean;
}

export interface SearchPage extends CharacterList {
  currentPage: number;
  totalPages: number;
  total: number;
  totalCapped: boolean;
}

export type PersonaGender = "" | "male" | "female" | "trans" | "other";

export interface Persona {
  id: string;
  name: string;
  description: string;
  gender: PersonaGender;
  default: boolean;
}

export interface Device {
  id: string;
  device: string;
  browser: string;
  ip: string;
  location: string;
  lastLoginTime: string;
  current: boolean;
}

export interface FollowerItem {
  _id: string;
  username: string;
  pfp: string | null;
}

/** A person. What only they may see of themselves is optional. */
export interface User {
  _id: string;
  username: string;
  bio: string;
  pfp: string | null;
  followerCount: number;
  followers: FollowerItem[];
  characters: number;
  followedCreators: FollowerItem[];
  followedCharacters: string[];
  createdAt: string;
  email?: string;
  personas?: Persona[];
  subscriptionStatus?: SubscriptionStatus;
  subscriptionPlan?: Plan;
  subscriptionEndDate?: string | null;
  nextPaymentDate?: string | null;
  lastPaymentDate?: string | null;
  sponsorMeLink?: string | null;
  deviceInfo?: Device[];
  coins?: { available: number; reserved: number };
  messagesUsed?: number;
  messagesLimit?: number | null;
  preferences?: Preferences;
}

export interface Preferences {
  ageConfirmed: boolean;
  nsfw: boolean;
}

export type MessageState =
  | "complete"
  | "streaming"
  | "stopped"
  | "interrupted"
  | "failed"
  | "refused"
  | "pending";

export interface Message {
  _id: string;
  chatId: string;
  content: string;
  senderType: "user" | "character";
  parentId: string | null;
  state: MessageState;
  reason: string | null;
  createdAt: string;
  generationId: string | null;
  engine: string | null;
  variants: number;
  variant: number;
}

export interface ChatSummary {
  _id: string;
  character: { _id: string; name: string; imageUrl: string | null };
  createdAt: string;
  lastMessage: { content: string } | null;
  lastMessageAt: string;
  messageCount: number;
}

/** A chat as it opens: the path from the root to the active leaf, and what the reader may still do. */
export interface ChatPage {
  chatId: string;
  messages: Message[];
  character: CharacterCard & { scenario: string };
  running: { generationId: string } | null;
  usage: { used: number; limit: number | null; pathMessages: number; freeLimit: number | null };
  engine: { name: string; offline: boolean };
}

export type ImageState = "queued" | "running" | "completed" | "failed" | "canceled";

export interface Image {
  _id: string;
  imageUrl: string | null;
  thumbUrl: string | null;
  label: string;
  public: boolean;
  state: ImageState;
  reason: string | null;
  width: number;
  height: number;
  prompt: string;
  createdAt: string;
  cost: number;
}

export interface ImagePage {
  images: Image[];
  hasNextPage: boolean;
  currentPage: number;
}

export interface PlanOffer {
  plan: Plan;
  name: string;
  monthlyCents: number;
  yearlyCents: number;
  currency: string;
  messagesPerMonth: number;
  coinsPerMonth: number;
  memoryTokens: number;
  perks: string[];
}

export interface Meta {
  engines: { text: { name: string; offline: boolean }; image: { name: string } };
  limits: Record<string, number>;
  dev: boolean;
}

/** A hint of `GET events`: something changed, fetch it again. */
export interface Hint {
  type: string;
  id: string;
}
