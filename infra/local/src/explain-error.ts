import { StartError } from '@session/kit';

/** What a system's error means for the person at the terminal, who can mend it. */
const SENTENCES: Readonly<Record<string, (place: string) => string>> = {
  ENOSPC: (place) => `The disk is full${place}: free some space, and start again.`,
  EDQUOT: (place) => `Your share of the disk is used up${place}: free some space, and start again.`,
  EACCES: notAllowed,
  EPERM: notAllowed,
  EROFS: (place) => `Nothing can be written there${place}: set STACK_DIR to another folder.`,
  EEXIST: notAFolder,
  ENOTDIR: notAFolder,
  // Only the probe of a port names an address here.
  EADDRNOTAVAIL: noAddress,
  ENOTFOUND: noAddress,
  EAI_AGAIN: noAddress,
  EMFILE: () => 'Too many files are open: raise the limit (`ulimit -n`), and start again.',
};

/** Gives a StartError with one clear sentence where `error` is one of the system's that have one; else `error` itself. */
export function explainError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  // A part that did not start, or a tool, shows the end of what it said.
  if (/ENOSPC|No space left on device/.test(error.message)) {
    return new StartError(SENTENCES['ENOSPC']?.('') ?? '', { cause: error });
  }
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  const path = 'path' in error && typeof error.path === 'string' ? error.path : '';
  const sentence = SENTENCES[code]?.(path && ` (${path})`);
  return sentence === undefined ? error : new StartError(sentence, { cause: error });
}

function notAllowed(place: string): string {
  return `Not allowed${place}: has another user made it? Remove it, or set STACK_DIR to another folder.`;
}

function notAFolder(place: string): string {
  return `A file is in the way${place}: STACK_DIR must be a folder.`;
}

function noAddress(): string {
  return 'HOST is no address of this machine.';
}
