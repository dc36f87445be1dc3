import { messages } from "./i18n";

export interface HelpLine {
  name: string;
  /** A telephone number, or an address on the web. */
  contact: string;
  href: string;
}

export interface Help {
  before: string[];
  lines: HelpLine[];
  after: string[];
}

/** `Name: 0800 123` or `Name: somewhere.org`. */
const LINE = /^(.{2,80}?):\s*(\+?[\d][\d\s()/-]*|(?:https?:\/\/)?[\w-]+(?:\.[\w-]+)+\S*)$/;

/** Where nothing readable came: the international directory. */
const directory = (): HelpLine => ({
  name: messages("turn")("directory"),
  contact: "findahelpline.com",
  href: "https://findahelpline.com",
});

function hrefOf(contact: string): string {
  if (/^https?:/.test(contact)) return contact;
  return /[a-z]/i.test(contact) ? `https://${contact}` : `tel:${contact.replace(/[^\d+]/g, "")}`;
}

/** Reads the words that stand in place of a reply: sentences, then a line for each help line, then sentences. */
export function helpOf(content: string): Help {
  const help: Help = { before: [], lines: [], after: [] };
  for (const text of content.split("\n").map((line) => line.trim())) {
    if (text === "") continue;
    const [, name, contact] = text.match(LINE) ?? [];
    if (name && contact) help.lines.push({ name, contact, href: hrefOf(contact) });
    else (help.lines.length > 0 ? help.after : help.before).push(text);
  }
  return help.lines.length > 0 ? help : { ...help, lines: [directory()] };
}
