import { feature } from "../../i18n";
import en from "./en.json";

export const { useMessages, messages } = feature({ en });
