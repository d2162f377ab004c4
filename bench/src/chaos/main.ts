import { runMain } from '@session/kit';
import { disposeSdk } from '@session/media';
import { readOptions } from './options.ts';
import { runChaos } from './run.ts';

const PRINTED_FAULTS = 50;

await runMain(async (stop) => {
  try {
    const options = readOptions(process.argv.slice(2));
    const { check, answered, unavailable, faultCount, peakMb, rate } = await runChaos(
      options,
      say,
      stop,
    );
    for (const fault of check.faults.slice(0, PRINTED_FAULTS)) say(`✗ ${fault}`);
    const { received, stored, inGaps, gaps, gapMs, faults } = check;
    const figures = [
      `faults injected ${faultCount}`,
      `received ${received} (${rate.toFixed(0)} per second)`,
      `stored ${stored}`,
      `in gaps ${inGaps}`,
      `gaps ${gaps} (${(gapMs / 1000).toFixed(1)} s)`,
      `largest recorder ${peakMb} MB`,
      ...(answered > 0 ? [`requests answered ${answered}`] : []),
      ...(unavailable > 0 ? [`unavailable ${unavailable}`] : []),
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
