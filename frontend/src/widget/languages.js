// The launcher's word: all that the panel's texts can't say, because they come later.
const HELP = { en: "Help", de: "Hilfe", fr: "Aide", es: "Ayuda", pt: "Ajuda", ja: "ヘルプ", ar: "المساعدة" };

/** The language of a page or an element, as the page itself says it. */
export const languageOf = (locale) => (locale || document.documentElement.lang || navigator.language || "en").split("-")[0].toLowerCase();

export const launcherText = (locale) => HELP[languageOf(locale)] ?? HELP.en;
