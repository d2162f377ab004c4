import type { MutatedFile } from '../mutant.ts';

export const shared: readonly MutatedFile[] = [
  {
    file: 'packages/kit/src/sender-rates.ts',
    changes: [
      ['fullAt - burstMs - at', 'fullAt - burstMs - at - 1'],
      ['Math.ceil(sizeBytes / UNIT_BYTES)', 'Math.floor(sizeBytes / UNIT_BYTES)'],
      ['stored > this.#now() + burstMs', 'false'],
      ['stored > this.#now() + burstMs', 'stored > at + burstMs'],
      ['BURST_SECONDS = 60', 'BURST_SECONDS = 120'],
      ['if (answer.waitMs === 0) answer.take();', 'answer.take();'],
    ],
  },
  {
    file: 'packages/kit/src/mask/mask.ts',
    changes: [['Math.max(end, position + length)', 'position + length']],
  },
  {
    file: 'packages/kit/src/mask/masked-forms.ts',
    tests: ['packages/kit/src/mask/mask.test.ts'],
    changes: [
      ['form.length >= MIN_LENGTH', 'form.length > MIN_LENGTH'],
      ['[0, 1, 2]', '[0, 1]'],
      ['byte.toLowerCase()', 'byte'],
    ],
  },
  {
    file: 'packages/media/src/server/tokens.ts',
    changes: [
      ['JOIN_SECONDS = 600', 'JOIN_SECONDS = 1200'],
      ['hidden: true', 'hidden: false'],
      ['canPublishData: false', 'canPublishData: true'],
      ['canPublishSources: [TrackSource.MICROPHONE],', ''],
    ],
  },
  {
    file: 'packages/media/src/server/signed-packet.ts',
    changes: [['JSON.stringify([room, packet])', 'JSON.stringify([packet])']],
  },
  {
    file: 'packages/media/src/text/send-buffer.ts',
    changes: [['threshold: 0n', 'threshold: 1_000_000n']],
  },
];
