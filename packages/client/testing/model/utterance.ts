/** A message in the making: its content grows until it is final, or its stream breaks. */
export interface Utterance {
  readonly id: string;
  readonly sender: string | null;
  content: string;
  stage: 'open' | 'broken' | 'final';
}

export const STAGES = ['final', 'open', 'final', 'open', 'final', 'broken'] as const;
