import type { MutatedFile } from '../mutant.ts';

const decode = [
  'decode-chat-and-presence',
  'decode-packet',
  'decode-text-stream',
  'decode-transcribed',
  'decode-unknown-sender',
].map((name) => `packages/contract/src/room/${name}.test.ts`);

export const contract: readonly MutatedFile[] = [
  {
    file: 'packages/contract/src/room/decode-packet.ts',
    tests: decode,
    changes: [
      ["packet['is_final'] !== true", "packet['is_final'] === false"],
      ["if (event.sender && isRecorder(event.sender)) return skip('recorder');", ''],
      ["if (text === '') return skip('empty');", ''],
      ["isFromAgent(event) && packet['role'] !== 'user'", "packet['role'] !== 'user'"],
      ['messageIdOf(sessionId, message.kind, rawId)', "messageIdOf(sessionId, 'text', rawId)"],
      ["isFromAgent(event) ? packet['message'] : undefined", "packet['message']"],
      ['/^tts(?![a-z])/i', '/^tts/i'],
    ],
  },
  {
    file: 'packages/contract/src/room/decode.ts',
    tests: decode,
    changes: [
      ['segmentId ?? cleanText', 'cleanText'],
      ['event.streamId.slice(0, MAX_SHORT_LENGTH)', 'event.streamId'],
      ["isFinal && hasEnded ? 'complete'", "isFinal ? 'complete'"],
      ["hasEnded && !isFinal ? 'interim'", "!isFinal ? 'interim'"],
      [
        'messageIdOf(sessionId, kind, rawId, sender.identity)',
        'messageIdOf(sessionId, kind, rawId)',
      ],
      ["transcribers === undefined || isProved ? 'user' : 'system'", "'user'"],
      ["if (isRecorder(event.participant)) return skip('recorder');", ''],
      ["isAgent(sender) && attributes[name] === 'true'", "attributes[name] === 'true'"],
      ['isCut || !hasEnded || hasMark', 'isCut || hasMark'],
    ],
  },
  {
    file: 'packages/contract/src/room/clean.ts',
    changes: [
      ['MAX_CONTENT_BYTES = 65_536', 'MAX_CONTENT_BYTES = 65_537'],
      ['depth === MAX_JSON_DEPTH', 'depth > MAX_JSON_DEPTH'],
      ['value.length <= MAX_SHORT_LENGTH', 'value.length < MAX_SHORT_LENGTH'],
      ['text.length * 3 <= maxBytes', 'text.length <= maxBytes'],
    ],
  },
  {
    file: 'packages/contract/src/room/message-id.ts',
    changes: [
      ["isUuid(rawId) && rawId[VERSION_DIGIT] !== '5'", 'isUuid(rawId)'],
      ['return rawId.toLowerCase()', 'return rawId'],
      ["rawId.includes('/') ?", 'false ?'],
    ],
  },
  {
    file: 'packages/contract/src/room/message-conflict.ts',
    changes: [['`.toLowerCase()', '`']],
  },
  {
    file: 'packages/contract/src/room/room-event.ts',
    tests: ['packages/contract/src/room/room-event.test.ts', ...decode],
    changes: [
      ['candidates.length > 0 && candidates.every(isAgent)', 'candidates.every(isAgent)'],
      ["kind === 'agent' || identity", 'identity'],
    ],
  },
  {
    file: 'packages/contract/src/room/sender.ts',
    tests: ['packages/client/src/timeline/timeline-model.test.ts'],
    changes: [
      ['return one.sender === other.sender;', 'return true;'],
      ["return identity.replace(IDENTITY_OF_USER, '$1');", 'return identity;'],
      ['return one.content === other.content;', 'return false;'],
    ],
  },
  {
    file: 'packages/contract/src/room/recording-gap.ts',
    changes: [
      ['messageIdOf(sessionId, kind, from)', 'messageIdOf(sessionId, kind, to)'],
      ['new Date(until + 1)', 'new Date(until)'],
    ],
  },
  {
    file: 'packages/contract/src/room/uuid.ts',
    changes: [
      ['now / 2 ** 16', 'now / 2 ** 15'],
      ['uuid.getUint8(8) & 0x3f', 'uuid.getUint8(8) & 0x7f'],
    ],
  },
  {
    file: 'packages/contract/src/room/fold-state.ts',
    changes: [['!isText(state) || state === MOMENT', '!isText(state)']],
  },
  {
    file: 'packages/contract/src/room/fold-plans.ts',
    tests: ['packages/contract/src/room/fold-state.test.ts'],
    changes: [
      ['plans.size > MAX_PLANS', 'plans.size >= MAX_PLANS'],
      ['plans.findLast(({ reporter })', 'plans.find(({ reporter })'],
      ['plans.delete(id);', ''],
    ],
  },
  {
    file: 'packages/contract/src/api/message.ts',
    changes: [
      ['byteLength(text) <= MAX_CONTENT_BYTES', 'text.length <= MAX_CONTENT_BYTES'],
      ['Math.max(time, EARLIEST)', 'time'],
    ],
  },
  {
    file: 'packages/contract/src/api/parameters.ts',
    changes: [['.min(least, { error })', '.gt(least, { error })']],
  },
  {
    file: 'packages/contract/src/api/reserved-variables.ts',
    changes: [["RESERVED_PATTERN, 'is'", "RESERVED_PATTERN, 's'"]],
  },
  {
    file: 'packages/contract/src/api/env-template.ts',
    changes: [['.length <= MAX_VARIABLES', '.length < MAX_VARIABLES']],
  },
];
