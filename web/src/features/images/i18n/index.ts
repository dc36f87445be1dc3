import { feature } from "@/shared/i18n";
import en from "./en.json";

export const { useMessages, messages } = feature({ en });
