import { compareWithMetricsPage } from '@session/testing';
import { expect, test } from 'vitest';
import { startRecorderProcess, tempFolder } from '../../testing/recorder-process.ts';
import { TestStage } from '../../testing/stage.ts';

test('docs/metrics.md describes exactly what a recorder serves', async () => {
  await using temp = await tempFolder();
  await using stage = await TestStage.open();
  await using program = await startRecorderProcess(stage.env(temp.folder));
  const response = await fetch(new URL('/metrics', program.healthUrl));
  const sections = ['Recorder', 'Every process'] as const;
  const { served, documented } = await compareWithMetricsPage(await response.text(), sections);
  expect(served).toEqual(documented);
});
