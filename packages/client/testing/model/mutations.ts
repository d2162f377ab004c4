import type { Mutation } from './mutant.ts';

const CONTRACT_SENDER = '../../../contract/src/room/sender.ts';

/** The rules that a timeline needs to keep its promises, each with the edit that takes it away. */
export const MUTATIONS: Readonly<Record<string, Mutation>> = {
  'a complete row wins': {
    file: 'stored-row.ts',
    text: 'if (isComplete(held)) return false;',
    instead: 'if (isComplete(held)) return isComplete(row) || row.content !== held.content;',
  },
  'the longer pending row wins': {
    file: 'stored-row.ts',
    text: 'row.content.length > held.content.length',
    instead: 'row.content.length < held.content.length',
  },
  '`since` moves only when nothing is left out': {
    file: 'catch-up.ts',
    text: 'if (this.#since === undefined || asked.since > this.#since) return false;',
    instead: 'if (this.#since === undefined) return false;',
  },
  '`since` follows the answers, not the newest row': {
    file: 'timeline.ts',
    text: 'this.#catchUp.latest(asked, answer)',
    instead:
      'this.#catchUp.latest(asked, { ...answer, nextSince: this.#windows.head || answer.nextSince })',
  },
  'what arrives after a row stays below it': {
    file: 'ledger.ts',
    text: 'other.seen > entry.seen && row.timestamp > other.anchor',
    instead: 'false',
  },
  'what arrives stands behind the newest row': {
    file: 'windows.ts',
    text: "newest ? timestampOf(newest) : ''",
    instead: "newest ? '' : ''",
  },
  'a message counts as said when its last word is said': {
    file: 'ledger.ts',
    text: 'if (isSpeaking(entry) && !isGoingOn(live)) {',
    instead: 'if (!isSpeaking(entry) && !isGoingOn(live)) {',
  },
  'the newest page goes into an empty window only': {
    file: 'timeline.ts',
    text: 'if (this.#catchUp.hasBegun) return false;',
    instead: '',
  },
  'a page requested before a trim is ignored': {
    file: 'windows.ts',
    text: '    this.#outdateAsks();\n    this.#ledger.forgetBefore',
    instead: '    this.#ledger.forgetBefore',
  },
  'a page requested before a reset is ignored': {
    file: 'windows.ts',
    text: '    this.#outdateAsks();\n    this.#live = new RowWindow();',
    instead: '    this.#live = new RowWindow();',
  },
  'no row is inserted below the window': {
    file: 'row-window.ts',
    text: 'return this.hasOlder && this.oldest !== undefined && timestamp < timestampOf(this.oldest);',
    instead: 'return timestamp === undefined;',
  },
  'a trimmed window has older rows': {
    file: 'row-window.ts',
    text: 'if (removed.length > 0) this.hasOlder = true;',
    instead: '',
  },
  'a newer version of a row that no window holds is kept': {
    file: 'windows.ts',
    text: 'if (!this.#live.isBelow(row.timestamp)) this.#live.insert(entry);',
    instead:
      'if (!this.#live.isBelow(row.timestamp)) this.#live.insert(entry); else if (!this.#detached?.has(entry)) this.#ledger.forget(entry);',
  },
  'two senders of one id are two messages': {
    file: CONTRACT_SENDER,
    text: 'return one.sender === other.sender;',
    instead: 'return true;',
  },
  'two tokens of one user are one sender': {
    file: CONTRACT_SENDER,
    text: "return identity.replace(IDENTITY_OF_USER, '$1');",
    instead: 'return identity;',
  },
  'an unknown sender is matched by the content': {
    file: CONTRACT_SENDER,
    text: 'return one.content === other.content;',
    instead: 'return false;',
  },
  'a renamed row replaces the room’s text': {
    file: 'ledger.ts',
    text: 'if (alias !== undefined) matches.push',
    instead: 'if (alias === null) matches.push',
  },
  'the room’s text after a renamed row belongs to that row': {
    file: 'ledger.ts',
    text: 'if (alias !== undefined) this.#renamed.set',
    instead: 'if (alias === null) this.#renamed.set',
  },
  'the API’s text without a sender after a renamed row belongs to that row': {
    file: 'ledger.ts',
    text: 'if (alias === id && ',
    instead: 'if (alias === id && claim.sender !== null && ',
  },
  'our own messages survive a reset': {
    file: 'ledger.ts',
    text: '      this.#loose.add(entry);\n    }\n  }\n\n  #tick',
    instead: '    }\n  }\n\n  #tick',
  },
  'our own messages survive a trim': {
    file: 'ledger.ts',
    text: '!entry.isLate && !entry.own',
    instead: '!entry.isLate',
  },
  'a text that is over stays where it stands when the room repeats it': {
    file: 'ledger.ts',
    text: 'if (isSpeaking(entry) && !isGoingOn(live)) {',
    instead: 'if (entry.live && !entry.stored && !isGoingOn(live)) {',
  },
  'who has left speaks no more': {
    file: 'ledger.ts',
    text: 'if (isOwn || mayBeTranscribed)',
    instead: 'if (mayBeTranscribed)',
  },
  'what an agent that has left transcribed is said no more': {
    file: 'ledger.ts',
    text: 'if (isOwn || mayBeTranscribed)',
    instead: 'if (isOwn)',
  },
  'a final text is not replaced by a later part': {
    file: 'ledger.ts',
    text: "known?.live?.stage === 'final' || ",
    instead: '',
  },
  'a detached window grows only without a hole': {
    file: 'windows.ts',
    text: 'if (!rows.some(({ timestamp }) => timestamp <= since)) return false;',
    instead: '',
  },
  'a row found elsewhere does not leave the live list': {
    file: 'windows.ts',
    text: 'const entries = rows.map((row) => this.place(row));',
    instead: 'const entries = rows.map((row) => this.#ledger.learn(row));',
  },
};
