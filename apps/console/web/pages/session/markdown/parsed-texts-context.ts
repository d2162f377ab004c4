import { createContext, useContext } from 'react';
import type { ParsedTexts } from './parsed-texts.ts';

const ParsedTextsContext = createContext<ParsedTexts | undefined>(undefined);

export const ParsedTextsProvider = ParsedTextsContext.Provider;

export function useParsedTexts(): ParsedTexts {
  const texts = useContext(ParsedTextsContext);
  if (!texts) throw new Error('there is no ParsedTextsProvider');
  return texts;
}
