import type { Persona } from '../settings/settings.ts';

/** What an agent says without its model. */
export interface SetPhrases {
  /** Read by people who know nothing of models. */
  readonly failure: string;
  readonly truncated: string;
  readonly greeting: string;
  readonly farewell: string;
}

const ENGLISH: SetPhrases = {
  failure: 'I cannot answer right now. Please try again in a moment.',
  truncated: 'Sorry, I lost my train of thought.',
  greeting: 'Hello! How can I help you?',
  farewell: 'Our time is over. Goodbye.',
};

/** By language, without a region. */
const SET_PHRASES: ReadonlyMap<string, SetPhrases> = new Map([
  ['en', ENGLISH],
  [
    'de',
    {
      failure: 'Ich kann gerade nicht antworten. Bitte versuchen Sie es gleich noch einmal.',
      truncated: 'Entschuldigung, ich habe den Faden verloren.',
      greeting: 'Hallo! Wie kann ich Ihnen helfen?',
      farewell: 'Unsere Zeit ist um. Auf Wiedersehen.',
    },
  ],
  [
    'fr',
    {
      failure: 'Je ne peux pas répondre pour le moment. Veuillez réessayer dans un instant.',
      truncated: 'Excusez-moi, j’ai perdu le fil.',
      greeting: 'Bonjour ! Comment puis-je vous aider ?',
      farewell: 'Notre temps est écoulé. Au revoir.',
    },
  ],
  [
    'es',
    {
      failure: 'Ahora mismo no puedo responder. Inténtelo de nuevo en un momento.',
      truncated: 'Disculpe, he perdido el hilo.',
      greeting: '¡Hola! ¿En qué puedo ayudarle?',
      farewell: 'Nuestro tiempo ha terminado. Adiós.',
    },
  ],
  [
    'it',
    {
      failure: 'In questo momento non posso rispondere. Riprovi tra un attimo.',
      truncated: 'Mi scusi, ho perso il filo.',
      greeting: 'Buongiorno! Come posso aiutarla?',
      farewell: 'Il nostro tempo è finito. Arrivederci.',
    },
  ],
]);

/** Returns the agent's set phrases: in its language, or in English. Its template may replace the sentence about failures. */
export function setPhrasesOf({
  language,
  failureMessage,
}: Pick<Persona, 'failureMessage' | 'language'>): SetPhrases {
  const sentences = SET_PHRASES.get(new Intl.Locale(language).language) ?? ENGLISH;
  return { ...sentences, failure: failureMessage ?? sentences.failure };
}
