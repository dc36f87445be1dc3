import type { CharacterCard, Message, User } from "@/shared/api/types";

export function makeUser(changes: Partial<User> = {}): User {
  return {
    _id: "u1",
    username: "wren",
    bio: "",
    pfp: null,
    followerCount: 0,
    followers: [],
    characters: 0,
    badge: false,
    followedCreators: [],
    followedCharacters: [],
    sponsorMeLink: null,
    createdAt: "2026-01-01T00:00:00Z",
    preferences: { ageConfirmed: false, nsfw: false },
    ...changes,
  };
}

export function makeCard(changes: Partial<CharacterCard> = {}): CharacterCard {
  return {
    _id: "c1",
    name: "Vesper Lang",
    age: 33,
    tags: ["female"],
    creator: { _id: "u2", username: "velvetfox", pfp: null },
    description: "Owns the Half Moon.",
    imageUrl: "/media/ab12/card.webp",
    nsfw: false,
    public: true,
    deluxe: false,
    isAiBuddy: false,
    likes: 12_800,
    dislikes: 3,
    messages: 62_900,
    chats: 10,
    follows: 4,
    createdAt: "2026-03-14T10:00:00Z",
    updatedAt: "2026-11-02T10:00:00Z",
    locked: false,
    sample: false,
    gel: null,
    heldBecause: null,
    ...changes,
  };
}

export function makeMessage(changes: Partial<Message> = {}): Message {
  return {
    _id: "m1",
    chatId: "chat",
    content: "",
    senderType: "character",
    parentId: null,
    state: "complete",
    reason: null,
    createdAt: "2026-11-21T07:00:00Z",
    generationId: null,
    engine: null,
    variants: 1,
    variant: 1,
    edited: false,
    siblings: [],
    ...changes,
  };
}
