import { type AgentRole, CATALOGUE, LaunchRefused } from '@session/agents';
import { readEnv } from '@session/kit';
import * as z from 'zod';

export interface KubernetesConfig {
  readonly namespace: string;
  readonly instance: string;
  readonly images: Readonly<Record<string, string>>;
  readonly kubeconfig: string | undefined;
}

const NO_INSTANCE = 'none';

/** Throws a StartError with one line for each faulty variable. A missing `AGENT_INSTANCE` is a fault only if `isChosen`. */
export function readKubernetesConfig(env: NodeJS.ProcessEnv, isChosen: boolean): KubernetesConfig {
  const variables = readEnv(variablesOf(isChosen), env);
  return {
    namespace: variables.AGENT_NAMESPACE,
    instance: variables.AGENT_INSTANCE,
    images: variables.AGENT_IMAGES,
    kubeconfig: variables.KUBECONFIG,
  };
}

/** Returns the image of a role. Throws a LaunchRefused for a role of `AGENT_ROLES` without one. */
export function imageOf(
  { name, program, image, run }: AgentRole,
  { images }: Pick<KubernetesConfig, 'images'>,
  version: string,
): string {
  if (!run) return images[name] ?? images[program] ?? `${image}:${version}`;
  if (image !== '') return image;
  const detail = `The role ${name} has no image for pods. The operator must set run.image in the file of AGENT_ROLES.`;
  throw new LaunchRefused({ reason: 'bad_configuration', detail });
}

function variablesOf(isChosen: boolean) {
  return z.object({
    AGENT_NAMESPACE: kubernetesName().default('agents'),
    AGENT_INSTANCE: isChosen
      ? kubernetesName(
          'a name is needed, with which this deployment labels its pods: 1 to 63 lower-case letters, digits and hyphens, without a hyphen at an end',
        )
      : kubernetesName().default(NO_INSTANCE),
    AGENT_IMAGES: imageList().default({}),
    KUBECONFIG: z.string().optional(),
  });
}

function kubernetesName(
  error = '1 to 63 lower-case letters, digits and hyphens are needed, without a hyphen at an end',
): z.ZodString {
  return z.string(error).regex(/^(?!-)[a-z0-9-]{1,63}(?<!-)$/, error);
}

/** An alias cannot have an image, because images are looked up by the names of roles and programs. */
const IMAGE_NAMES: ReadonlySet<string> = new Set(
  CATALOGUE.flatMap(({ name, program }) => [name, program]),
);

function imageList() {
  const error =
    'known roles with their images are needed, separated by commas: echo-agent=registry.example/echo-agent:1';
  return z
    .string()
    .transform((list) => list.split(',').map((pair) => pair.trim().split('=')))
    .refine((pairs) => pairs.every(([name = '', image]) => IMAGE_NAMES.has(name) && image), {
      error,
    })
    .transform((pairs) =>
      Object.fromEntries(pairs.map(([name = '', image = '']) => [name, image])),
    );
}
