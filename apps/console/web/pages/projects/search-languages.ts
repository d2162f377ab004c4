import type { SearchLanguage } from '@session/client';

export const SEARCH_LANGUAGES: Readonly<Record<SearchLanguage, string>> = {
  arabic: 'Arabic',
  armenian: 'Armenian',
  basque: 'Basque',
  catalan: 'Catalan',
  danish: 'Danish',
  dutch: 'Dutch',
  english: 'English',
  estonian: 'Estonian',
  finnish: 'Finnish',
  french: 'French',
  german: 'German',
  greek: 'Greek',
  hindi: 'Hindi',
  hungarian: 'Hungarian',
  indonesian: 'Indonesian',
  irish: 'Irish',
  italian: 'Italian',
  lithuanian: 'Lithuanian',
  nepali: 'Nepali',
  norwegian: 'Norwegian',
  portuguese: 'Portuguese',
  romanian: 'Romanian',
  russian: 'Russian',
  serbian: 'Serbian',
  spanish: 'Spanish',
  swedish: 'Swedish',
  tamil: 'Tamil',
  turkish: 'Turkish',
  yiddish: 'Yiddish',
};

export function searchLanguageOf(value: string): SearchLanguage | null {
  return (
    Object.keys(SEARCH_LANGUAGES).find((name): name is SearchLanguage => name === value) ?? null
  );
}

/** Names the language of a search. An unknown language of a newer API appears under its own name. */
export function searchedIn(language: unknown): string {
  if (typeof language !== 'string') return 'word by word';
  const known = searchLanguageOf(language);
  return `in ${known ? SEARCH_LANGUAGES[known] : language}`;
}
