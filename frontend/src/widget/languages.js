// The widget's language. Its texts are in `texts/`, a file for each language; `build.mjs` puts them where `TEXTS` stands.

import { host } from "./host.js";

/* global TEXTS */
const CODE = /^[a-z]{2,3}$/;
const RIGHT_TO_LEFT = ["ar"];

/** The language that is asked for, else that of the page as the page itself says it, else the browser's. */
export function languageOf(locale) {
  const [language] = (locale || host.documentElement.lang || navigator.language || "").toLowerCase().split(/[-_]/);
  return CODE.test(language) && TEXTS[language] ? language : "en";
}

/** The texts by their names. */
export const textsIn = (language) => TEXTS[language];

export const directionOf = (language) => (RIGHT_TO_LEFT.includes(language) ? "rtl" : "ltr");
