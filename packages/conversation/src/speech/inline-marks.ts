const MAX_LENGTH = 2000;

const LABEL = /^!?\[((?:[^[\]\n\\]|\\.|\[[^[\]\n]*\])*)\]/;
const TARGET = /^(?:\((?:[^()\n\\]|\\.|\([^()\n]*\))*\)|\[[^\]\n]*\])/;
const TICKED = /^\s*x?\s*$/i;
const URL_WORD = /^(?:https?:\/\/|www\.)[^\s<>"`]+/i;
const URL_STARTS = ['http://', 'https://', 'www.'];
const AUTOLINK = /^<((?:https?:\/\/|mailto:|www\.)[^\s<>]+)>/i;
const TAG = /^<(?:\/?[a-z][a-z0-9-]*(?:[ \t][^<>\n]*)?\/?|!--[^\n]*?--)>/i;
const MAY_BE_TAG = /^<(?:[a-z/!][^<>\n]*)?$/i;
const BLOCK_TAG = /^<\/?(?:br|p|div|li|tr|h[1-6])\b/i;
const WORD = /^[\p{L}\p{N}]+/u;
const SPLIT_CHARACTER = /^[\uD800-\uDBFF]$/;

export interface Piece {
  readonly length: number;
  readonly spoken: string;
}

type Reading = Piece | 'undecided' | undefined;

export function readInline(text: string, isEnd: boolean): Piece | undefined {
  const isOpen = !isEnd && !text.includes('\n') && text.length < MAX_LENGTH;
  for (const rule of [readEscape, readLink, readAngle, readUrl, readWord]) {
    const reading = rule(text, isOpen);
    if (reading === 'undecided') return undefined;
    if (reading) return reading;
  }
  return isOpen && SPLIT_CHARACTER.test(text) ? undefined : literal(text);
}

function speak(text: string): string {
  let [spoken, rest] = ['', text];
  while (rest !== '') {
    const piece = readInline(rest, true) ?? literal(rest);
    spoken += piece.spoken;
    rest = rest.slice(piece.length);
  }
  return spoken;
}

function literal(text: string): Piece {
  return { length: 1, spoken: text.charAt(0) };
}

function readEscape(text: string, isOpen: boolean): Reading {
  if (!text.startsWith('\\')) return undefined;
  if (text.length === 1) return isOpen ? 'undecided' : undefined;
  return /^\\[^\p{L}\p{N}\s]/u.test(text) ? { length: 2, spoken: '' } : undefined;
}

function readLink(text: string, isOpen: boolean): Reading {
  if (!/^!?\[/.test(text)) return text === '!' && isOpen ? 'undecided' : undefined;
  const [label, title = ''] = LABEL.exec(text) ?? [''];
  if (label === '') return isOpen ? 'undecided' : { length: 1, spoken: '' };
  const rest = text.slice(label.length);
  if (rest === '' && isOpen) return 'undecided';
  const target = TARGET.exec(rest)?.[0] ?? '';
  if (target === '' && /^[([]/.test(rest) && isOpen) return 'undecided';
  const isSilent = title.startsWith('^') || TICKED.test(title);
  return { length: label.length + target.length, spoken: isSilent ? '' : speak(title) };
}

function readAngle(text: string, isOpen: boolean): Reading {
  if (!text.startsWith('<')) return undefined;
  const [link, target = ''] = AUTOLINK.exec(text) ?? [''];
  if (link !== '') return { length: link.length, spoken: hostOf(target) };
  const tag = TAG.exec(text)?.[0];
  if (tag !== undefined) return { length: tag.length, spoken: BLOCK_TAG.test(tag) ? ' ' : '' };
  return isOpen && MAY_BE_TAG.test(text) ? 'undecided' : undefined;
}

function readUrl(text: string, isOpen: boolean): Reading {
  const word = URL_WORD.exec(text)?.[0];
  if (word === undefined) {
    const begun = text.toLowerCase();
    return isOpen && URL_STARTS.some((start) => start.startsWith(begun)) ? 'undecided' : undefined;
  }
  if (word.length === text.length && isOpen) return 'undecided';
  // After a URL, punctuation, an unopened bracket and marks of emphasis belong to the sentence.
  const url = word.replace(word.includes('(') ? /[.,;:!?'*_~]+$/ : /[.,;:!?'*_~)\]]+$/, '');
  return { length: url.length, spoken: hostOf(url) };
}

function readWord(text: string, isOpen: boolean): Reading {
  const word = WORD.exec(text)?.[0];
  if (word === undefined) return undefined;
  return word.length === text.length && isOpen
    ? 'undecided'
    : { length: word.length, spoken: word };
}

function hostOf(url: string): string {
  const address = url.replace(/^(?:https?:\/\/|mailto:)/i, '');
  if (/^mailto:/i.test(url)) return address.split('?', 1)[0] ?? '';
  const host = /^(?:[^/?#@]*@)?([^/?#:]*)/.exec(address)?.[1] ?? '';
  return host.replace(/^www\./i, '');
}
