import { runMain } from '@session/kit';
import { disposeSdk } from '@session/media';
import { readOptions } from './options.ts';
import { runChaos } from './run.ts';

await runMain(async (stop) => {
  try {
    const options = readOptions(process.argv.slice(2));
    const { verdict, troubles, peakMb, rate } = await runChaos(options, say, stop);
    for (const fault of verdict.faults.slice(0, 50)) say(`✗ ${fault}`);
    const { heard, stored, inGaps, gaps, gapMs, faults } = verdict;
    const figures = [
      `faults made ${troubles}`,
      `heard ${heard} (${rate.toFixed(0)} a second)`,
      `stored ${stored}`,
      `in gaps ${inGaps}`,
      `gaps ${gaps} (${(gapMs / 1000).toFixed(1)} s)`,
      `recorders' memory at most ${peakMb} MB`,
      `wrong ${faults.length}`,
      `seed ${options.seed}`,
    ];
    say(figures.join(' · '));
    if (faults.length > 0) process.exitCode = 1;
  } finally {
    await disposeSdk();
  }
});

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
