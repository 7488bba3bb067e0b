import { en } from './messages/en.ts';
import type { Messages } from './messages/messages.ts';
import { ru } from './messages/ru.ts';
import { uz } from './messages/uz.ts';

export const LANGUAGES = ['en', 'uz', 'ru'] as const;

export type Language = (typeof LANGUAGES)[number];

export const MESSAGES: Readonly<Record<Language, Messages>> = { en, uz, ru };

/** For `lang` attributes: Uzbek is written in Latin here. */
export const TAGS: Readonly<Record<Language, string>> = { en: 'en', uz: 'uz-Latn', ru: 'ru' };

/** For Intl. Chromium claims to know Uzbek and has no data for it; Russian numbers and times are written alike. */
export const LOCALES: Readonly<Record<Language, string>> = { en: 'en', uz: 'ru', ru: 'ru' };

export const isLanguage = (text: unknown): text is Language => LANGUAGES.some((language) => language === text);

/** The first of the visitor's languages that the page speaks. */
export function chooseLanguage(wanted: readonly string[]): Language {
  const known = wanted.map((tag) => tag.toLowerCase().split('-')[0]);
  return known.find(isLanguage) ?? 'en';
}
