import { StartError } from '@session/kit';

const SENTENCES: Readonly<Record<string, (where: string) => string>> = {
  ENOSPC: (where) => `The disk is full${where}: free some space and start again.`,
  EDQUOT: (where) => `Your share of the disk is used up${where}: free some space and start again.`,
  EACCES: notAllowed,
  EPERM: notAllowed,
  EROFS: (where) => `Nothing can be written there${where}. Set STACK_DIR to another folder.`,
  EEXIST: notAFolder,
  ENOTDIR: notAFolder,
  // Only the check of a port reports an address here.
  EADDRNOTAVAIL: noAddress,
  ENOTFOUND: noAddress,
  EAI_AGAIN: noAddress,
  EMFILE: () => 'Too many files are open: raise the limit (`ulimit -n`) and start again.',
};

/** Returns a StartError with a clear sentence if `error` is a known system error, otherwise `error` itself. */
export function explainError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  // The message of a failed part or tool contains the end of its output.
  if (/ENOSPC|No space left on device/.test(error.message)) {
    return new StartError(SENTENCES['ENOSPC']?.('') ?? '', { cause: error });
  }
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  const path = 'path' in error && typeof error.path === 'string' ? error.path : '';
  const sentence = SENTENCES[code]?.(path && ` (${path})`);
  return sentence === undefined ? error : new StartError(sentence, { cause: error });
}

function notAllowed(where: string): string {
  return `Permission denied${where}: did another user create it? Remove it, or set STACK_DIR to another folder.`;
}

function notAFolder(where: string): string {
  return `A file is in the way${where}: STACK_DIR must be a folder.`;
}

function noAddress(): string {
  return 'HOST is not an address of this machine: set it to one, such as 127.0.0.1.';
}
