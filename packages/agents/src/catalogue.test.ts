import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { CATALOGUE, checkVariables, findAgentRole, requiredVariables } from './catalogue.ts';
import { bytesOf } from './memory.ts';
import { findProgram } from './programs.ts';

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
  });
});

test('each role names each of its variables once, and LLM_API_KEY alone is enough to converse', () => {
  for (const role of CATALOGUE) {
    const names = role.variables.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    const isConversing = role.conversation !== 'none';
    expect(requiredVariables(role)).toEqual(isConversing ? ['LLM_API_KEY'] : []);
    expect(checkVariables(role, isConversing ? { LLM_API_KEY: 'rehearsal' } : {})).toEqual([]);
  }
  expect(namesOf('light-agent')).toEqual(
    namesOf('core-agent')?.filter((name) => !/^(?:STT|TTS|TURN|INTERRUPT)_/.test(name)),
  );
  expect(namesOf('conversational-ai')).toEqual(namesOf('core-agent'));
});

test.each([
  ['echo-agent', { ECHO_MODE: 'loud' }, 'ECHO_MODE is not valid: text, audio or both'],
  ['light-agent', {}, 'LLM_API_KEY is not set: a value is needed'],
  // As the light agent itself does: a template may serve agents of several roles.
  [
    'light-agent',
    { LLM_API_KEY: 'k', STT_PROVIDER: 'x' },
    'STT_PROVIDER is not valid: openai, local or none',
  ],
])('what %s refuses in %j is named: %s', (name, variables, fault) => {
  const role = findAgentRole(name);
  expect(role && checkVariables(role, variables)).toEqual([fault]);
});

test.each(programs)('the image of %s starts it as the process launcher does', async (program) => {
  const stage = new RegExp(String.raw`^FROM \S+ AS ${program}\n(?:.*\n)*?CMD (?<command>.*)`, 'm');
  const command = stage.exec(await read('infra/docker/Dockerfile'))?.groups?.['command'];
  const args: unknown[] = JSON.parse(command ?? '[]');
  expect(args.at(-1)).toBe('dist/main.js');
  // The images have the Node that runs this test. In an image, all code is in one folder.
  const launched = findProgram(path.join(root, 'apps'), program)?.args ?? [];
  const expected = launched
    .filter((arg) => arg.startsWith('-') && !arg.startsWith('--conditions'))
    .map((arg) => arg.replace(new RegExp(`=${root}/.*`), `=/app/${program}`));
  expect(new Set(args.slice(0, -1))).toEqual(new Set(expected));
});

test('a deployment has an image for each program, and its instructions build it', async () => {
  const overlay = await read('infra/kubernetes/overlays/production/kustomization.yaml');
  const images = /AGENT_IMAGES=(?<images>.*)/.exec(overlay)?.groups?.['images']?.split(',') ?? [];
  expect(images.map((pair) => pair.split('=')[0])).toEqual(programs);
  const instructions = await read('infra/kubernetes/README.md');
  for (const program of programs) expect(instructions).toContain(`\`${program}\``);
});

function namesOf(role: string): string[] | undefined {
  return findAgentRole(role)?.variables.map(({ name }) => name);
}
