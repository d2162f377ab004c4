import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { CATALOGUE, findAgentRole } from './catalogue.ts';
import { bytesOf } from './memory.ts';
import { permissionArguments } from './permission-arguments.ts';

const root = path.resolve(import.meta.dirname, '../../..');
const read = (file: string) => readFile(path.join(root, file), 'utf8');
const programs = [...new Set(CATALOGUE.map(({ program }) => program))].filter((program) =>
  existsSync(path.join(root, 'apps', program)),
);

test('every role is found by its name, and the echo agent by its alias', () => {
  for (const role of CATALOGUE) {
    expect(findAgentRole(role.name)).toBe(role);
    expect(bytesOf(role.resources.memory[1])).toBeGreaterThan(0);
  }
  expect(findAgentRole('the service')?.name).toBe('echo-agent');
  expect(findAgentRole('constructor')).toBeUndefined();
});

test('the echo agent gets the specified resources, and needs no template', () => {
  expect(findAgentRole('echo-agent')).toMatchObject({
    resources: { cpu: ['50m', '200m'], memory: ['128Mi', '512Mi'] },
    requiredVariables: [],
  });
});

test.each(programs)('the image of %s starts it as the process launcher does', async (program) => {
  const stage = new RegExp(String.raw`^FROM \S+ AS ${program}\n(?:.*\n)*?CMD (?<command>.*)`, 'm');
  const command = stage.exec(await read('infra/docker/Dockerfile'))?.groups?.['command'];
  const args: unknown[] = JSON.parse(command ?? '[]');
  expect(args.at(-1)).toBe('dist/main.js');
  // The images have the Node that runs this test.
  expect(new Set(args.slice(0, -1))).toEqual(new Set(permissionArguments([`/app/${program}`])));
});

test('a deployment has an image for each program, and its instructions build it', async () => {
  const overlay = await read('infra/kubernetes/overlays/production/kustomization.yaml');
  const images = /AGENT_IMAGES=(?<images>.*)/.exec(overlay)?.groups?.['images']?.split(',') ?? [];
  expect(images.map((pair) => pair.split('=')[0])).toEqual(programs);
  const instructions = await read('infra/kubernetes/README.md');
  for (const program of programs) expect(instructions).toContain(`\`${program}\``);
});
