import { CATALOGUE } from '@session/agents';
import { StartError } from '@session/kit';
import { expect, test } from 'vitest';
import { imageOf, readKubernetesConfig } from './config.ts';

const NAME =
  '1 to 63 lower-case letters, digits and hyphens are needed, without a hyphen at an end';
const INSTANCE =
  'a name is needed, with which this deployment labels its pods: 1 to 63 lower-case letters, digits and hyphens, without a hyphen at an end';
const IMAGES =
  'known roles with their images are needed, separated by commas: echo-agent=registry.example/echo-agent:1';

test('only the instance has to be set', () => {
  expect(readKubernetesConfig({ AGENT_INSTANCE: 'blue' }, true)).toEqual({
    namespace: 'agents',
    instance: 'blue',
    images: {},
    kubeconfig: undefined,
  });
});

test('images are given by role, with their ports and digests', () => {
  const AGENT_IMAGES = 'echo-agent=registry.example:5000/echo@sha256:1, core-agent=core:2';
  const env = { AGENT_NAMESPACE: 'n1', AGENT_INSTANCE: 'blue', AGENT_IMAGES, KUBECONFIG: '/k' };
  expect(readKubernetesConfig(env, true)).toEqual({
    namespace: 'n1',
    instance: 'blue',
    images: { 'echo-agent': 'registry.example:5000/echo@sha256:1', 'core-agent': 'core:2' },
    kubeconfig: '/k',
  });
});

test.each([
  [{}, 'session-service/core-agent:1.2', 'session-service/core-agent:1.2'],
  [{ 'core-agent': 'voice:1' }, 'voice:1', 'voice:1'],
  [{ 'conversational-ai': 'talk:1' }, 'session-service/core-agent:1.2', 'talk:1'],
  [{ 'core-agent': 'voice:1', 'conversational-ai': 'talk:1' }, 'voice:1', 'talk:1'],
])(
  'with the images %j core-agent runs %s, and conversational-ai, the same program, %s',
  (images, ...expected) => {
    const roles = CATALOGUE.filter(({ program }) => program === 'core-agent');
    expect(roles.map((role) => imageOf(role, { images }, '1.2'))).toEqual(expected);
  },
);

test.each<[NodeJS.ProcessEnv, boolean, string[]]>([
  [{}, true, [`AGENT_INSTANCE is not set: ${INSTANCE}`]],
  [{ AGENT_INSTANCE: 'Blue' }, true, [`AGENT_INSTANCE is not valid: ${INSTANCE}`]],
  [{ AGENT_INSTANCE: 'Blue' }, false, [`AGENT_INSTANCE is not valid: ${NAME}`]],
  [{ AGENT_NAMESPACE: '-a' }, false, [`AGENT_NAMESPACE is not valid: ${NAME}`]],
  [{ AGENT_NAMESPACE: 'a-' }, false, [`AGENT_NAMESPACE is not valid: ${NAME}`]],
  [{ AGENT_NAMESPACE: 'a'.repeat(64) }, false, [`AGENT_NAMESPACE is not valid: ${NAME}`]],
  [{ AGENT_IMAGES: 'the service=echo:1' }, false, [`AGENT_IMAGES is not valid: ${IMAGES}`]],
  [{ AGENT_IMAGES: 'constructor=x:1' }, false, [`AGENT_IMAGES is not valid: ${IMAGES}`]],
  [
    { AGENT_NAMESPACE: 'a.b', AGENT_IMAGES: 'echo-agent' },
    true,
    [
      `AGENT_NAMESPACE is not valid: ${NAME}`,
      `AGENT_INSTANCE is not set: ${INSTANCE}`,
      `AGENT_IMAGES is not valid: ${IMAGES}`,
    ],
  ],
])('a start with %j (chosen: %j) is refused, with each fault', (env, isChosen, lines) => {
  expect(() => readKubernetesConfig(env, isChosen)).toThrow(new StartError(lines.join('\n')));
});

test('a deployment without pods needs no instance', () => {
  expect(() => readKubernetesConfig({}, false)).not.toThrow();
  expect(() => readKubernetesConfig({ AGENT_NAMESPACE: 'a'.repeat(63) }, false)).not.toThrow();
});
