import type { Persona } from '../settings/settings.ts';

export interface SetPhrases {
  readonly failure: string;
  readonly truncated: string;
  readonly greeting: string;
  readonly farewell: string;
  readonly handover: string;
}

const ENGLISH: SetPhrases = {
  failure: 'I cannot answer right now. Please try again in a moment.',
  truncated: 'Sorry, I lost my train of thought.',
  greeting: 'Hello! How can I help you?',
  farewell: 'Our time is over. Goodbye.',
  handover: 'One moment, please. I am calling somebody of the team.',
};

const SET_PHRASES: ReadonlyMap<string, SetPhrases> = new Map([
  ['en', ENGLISH],
  [
    'de',
    {
      failure: 'Ich kann gerade nicht antworten. Bitte versuchen Sie es gleich noch einmal.',
      truncated: 'Entschuldigung, ich habe den Faden verloren.',
      greeting: 'Hallo! Wie kann ich Ihnen helfen?',
      farewell: 'Unsere Zeit ist um. Auf Wiedersehen.',
      handover: 'Einen Moment bitte, ich rufe jemanden aus dem Team.',
    },
  ],
  [
    'fr',
    {
      failure: 'Je ne peux pas répondre pour le moment. Veuillez réessayer dans un instant.',
      truncated: 'Excusez-moi, j’ai perdu le fil.',
      greeting: 'Bonjour ! Comment puis-je vous aider ?',
      farewell: 'Notre temps est écoulé. Au revoir.',
      handover: 'Un instant, je vous prie. J’appelle quelqu’un de l’équipe.',
    },
  ],
  [
    'es',
    {
      failure: 'Ahora mismo no puedo responder. Inténtelo de nuevo en un momento.',
      truncated: 'Disculpe, he perdido el hilo.',
      greeting: '¡Hola! ¿En qué puedo ayudarle?',
      farewell: 'Nuestro tiempo ha terminado. Adiós.',
      handover: 'Un momento, por favor. Llamo a alguien del equipo.',
    },
  ],
  [
    'it',
    {
      failure: 'In questo momento non posso rispondere. Riprovi tra un attimo.',
      truncated: 'Mi scusi, ho perso il filo.',
      greeting: 'Buongiorno! Come posso aiutarla?',
      farewell: 'Il nostro tempo è finito. Arrivederci.',
      handover: 'Un momento, per favore. Chiamo qualcuno del team.',
    },
  ],
]);

/** Returns the set phrases in the agent's language, or in English, with the template's own sentence about failures. */
export function setPhrasesOf({ language, failureMessage }: Persona): SetPhrases {
  const phrases = SET_PHRASES.get(new Intl.Locale(language).language) ?? ENGLISH;
  return { ...phrases, failure: failureMessage ?? phrases.failure };
}
