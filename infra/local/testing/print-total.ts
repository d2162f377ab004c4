import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { slowest, sum, summary, Total } from './total.ts';

const SHOWN = 20;

// Prints the total of all runs whose totals are in the folder, their slowest tests, and the file that says what did not run.
const [folder = '.', leftOut = '/dev/null'] = process.argv.slice(2);
const files = readdirSync(folder).map((name) => readFileSync(path.join(folder, name), 'utf8'));
const total = sum(files.map((file) => Total.parse(JSON.parse(file))));
const slow = total.slow.toSorted((a, b) => b.ms - a.ms).slice(0, SHOWN);
process.stdout.write(
  `\nThe slowest tests\n${slowest(slow)}\n${readFileSync(leftOut, 'utf8')}${summary(total)}`,
);
