/**
 * The shapes of the BFF's JSON, named as the web speaks of them. They come from `bff/openapi.json` by way of
 * `schema.d.ts` (`npm run api-types`); `npm run check` fails when the two have drifted apart.
 * Ids are UUIDs in text; times are RFC 3339 strings.
 */
import type { components } from "./schema";

type Schemas = components["schemas"];
/** What an answer carries beside its `success`, which the status has already told. */
type Body<T> = Omit<T, "success">;

export type SubscriptionStatus = Schemas["SubscriptionState"];
export type Plan = Schemas["PlanName"];
export type Reaction = Schemas["ReactionType"];

export type CreatorRef = Schemas["Creator"];
/** A creator among the best, with the figures they are ranked by. */
export type TopCreator = Schemas["TopCreator"];
/** A character as lists show it. A locked one has no text and no image address. */
export type CharacterCard = Schemas["CharacterCard"];
export type Character = Schemas["Character"];
export type CharacterPage = Body<Schemas["CharacterPage"]>;
/** What a character card says, under the names of the form. */
export type CardFields = Schemas["CardFields"];
export type CardRead = Body<Schemas["CardRead"]>;
export type CardFormat = Schemas["CardFormat"];
export type Review = Schemas["Review"];

/** A page of a list that only knows whether there is more. */
export type CharacterList = Body<Schemas["CharacterList"]>;
export type SearchPage = Body<Schemas["SearchPage"]>;

export type PersonaGender = Schemas["Gender"];
export type Persona = Schemas["Persona"];
export type Device = Schemas["DeviceInfo"];
export type FollowerItem = Schemas["FollowerItem"];
/** A person. What only they may see of themselves is optional. */
export type User = Schemas["User"];
export type Preferences = Schemas["Preferences"];

export type MessageState = Schemas["MessageState"];
export type Message = Schemas["Message"];
export type ChatSummary = Schemas["ChatSummary"];
/** A chat as it opens: the path from the root to the active leaf, and what the reader may still do. */
export type ChatPage = Body<Schemas["ChatPage"]>;

/** Words found in messages. */
export type MessageHits = Body<Schemas["MessageHits"]>;
export type MessageHit = Schemas["MessageHit"];
/** All messages of a chat, as a map of its branches. */
export type ChatMap = Body<Schemas["ChatMap"]>;
export type MapNode = Schemas["MapNode"];
/** What is, was or would be in a prompt. */
export type PromptManifest = Schemas["PromptManifest"];
export type PromptBlock = Schemas["PromptBlock"];
export type PromptEntry = Schemas["PromptEntry"];
export type ChatMemory = Schemas["ChatMemory"];
export type SamplingValues = Partial<Schemas["SamplingValues"]>;
export type SamplingBound = Schemas["SamplingBound"];
export type SamplingPreset = Schemas["SamplingPreset"];
export type SamplingOptions = Body<Schemas["SamplingOptions"]>;
export type ChatSampling = Body<Schemas["ChatSampling"]>;
export type Lorebook = Schemas["Lorebook"];
export type LoreBook = Schemas["LoreBook"];
export type LoreEntry = Schemas["LoreEntry"];

/** What a character keeps of what was said. */
export type Memory = Schemas["Memory"];
export type MemoryPatch = Schemas["MemoryPatch"];
export type MemoryPage = Body<Schemas["Memories"]>;

export type ImageState = Schemas["ImageState"];
export type Image = Schemas["Image"];
export type ImagePage = Body<Schemas["ImagePage"]>;
export type ImageChange = Schemas["ImageChange"];
export type ImageChoice = Schemas["ImageChoice"];
/** All that can be chosen for a picture. */
export type ImageFormOptions = Body<Schemas["ImageForm"]>;

/** What waits for a moderator. */
export type HeldCharacter = Schemas["HeldCharacter"];
export type HeldQueue = Body<Schemas["HeldQueue"]>;
export type WaitingImage = Schemas["WaitingImage"];
export type WaitingImages = Body<Schemas["WaitingImages"]>;

/** A report or a decision about the reader, and where it stands. */
export type Report = Schemas["Report"];
export type ComplaintKind = Schemas["ComplaintKind"];
export type ReportList = Body<Schemas["ReportList"]>;
export type SubjectKind = Schemas["SubjectKind"];
/** One's own character that was deleted, until it is erased. */
export type DeletedCharacter = Schemas["DeletedCharacter"];
export type ReviewList = Body<Schemas["ReviewList"]>;
export type TagCategory = Schemas["Category"];

export type PlanOffer = Schemas["PlanOffer"];
/** A report, complaint or notice as moderators see it. */
export type Case = Schemas["Case"];
export type CaseQueue = Body<Schemas["Queue"]>;
export type CaseDecision = Schemas["Decision"];
export type ReportState = Schemas["ReportState"];
export type ReportKind = Schemas["ReportKind"];

/** A payment, or what was given back. */
export type Receipt = Schemas["Receipt"];
export type ReceiptList = Body<Schemas["ReceiptList"]>;
/** A movement of coins. */
export type Movement = Schemas["Movement"];
export type MovementList = Body<Schemas["MovementList"]>;
/** The first step of a withdrawal: what confirming means. */
export type WithdrawalOffer = Body<Schemas["WithdrawalBegun"]>;

export type Notification = Schemas["Notification"];
export type NotificationList = Body<Schemas["NotificationList"]>;
/** Something that the reader does not want to see. */
export type Block = Schemas["Block"];
export type BlockList = Body<Schemas["BlockList"]>;
export type Meta = Schemas["Meta"];

/** A hint of `GET events`: something changed, fetch it again. */
export type Hint = Schemas["Hint"];
