import { expect, test } from 'vitest';
import { readRepositoryFile } from '../../testing/variables.ts';
import { readRules } from '../monitoring/rules.ts';
import { drillName } from './drill.ts';
import { DRILLS } from './drills.ts';

const alerts = (await readRules()).groups.flatMap(({ rules }) => rules);

test('every alert has its section in the guide, with a first look, what mends it, and its drill', async () => {
  const guide = await readRepositoryFile('docs/operations.md');
  const parts = guide.split(/^### /m).map((part) => [part.split('\n', 1)[0], part] as const);
  const sections = new Map(parts);
  const drills = new Map(DRILLS.map((drill) => [drill.alert, drillName(drill)]));
  const incomplete = alerts.filter(({ alert }) => {
    const section = sections.get(alert) ?? '';
    const drill = `- Drill: \`npm run drill -- ${drills.get(alert)}\`\n`;
    return !(/- First look: [\s\S]*- Mend: /.test(section) && section.includes(drill));
  });
  expect(incomplete).toEqual([]);
  for (const { alert, annotations } of alerts)
    expect(annotations.runbook_url).toBe(`docs/operations.md#${alert.toLowerCase()}`);
});

test('every drill is of an alert that exists', () => {
  const names = new Set(alerts.map(({ alert }) => alert));
  expect(DRILLS.filter(({ alert }) => !names.has(alert))).toEqual([]);
});
