import path from 'node:path';
import * as z from 'zod';
import type { ImageStorage } from './image-storage.ts';

const Config = z.object({
  Entrypoint: z.array(z.string()).nullish(),
  Cmd: z.array(z.string()).nullish(),
  Env: z.array(z.string()).nullish(),
  User: z.string().nullish(),
  WorkingDir: z.string().nullish(),
});

export interface PodImage {
  readonly rootfs: string;
  readonly entrypoint: readonly string[];
  readonly cmd: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly user: number;
  readonly workingDir: string;
}

/** Mounts images, and returns them by the names that manifests have for them. They stay mounted until the storage is closed. */
export async function mountPodImages(
  { run }: ImageStorage,
  tags: readonly string[],
): Promise<Record<string, PodImage>> {
  const images: [string, PodImage][] = [];
  for (const tag of tags) {
    const text = await run('podman', 'image', 'inspect', '--format', '{{json .Config}}', tag);
    const { Entrypoint, Cmd, Env, User, WorkingDir } = Config.parse(JSON.parse(text));
    const variables = (Env ?? []).map((entry) => /^(?<name>[^=]+)=(?<value>.*)$/s.exec(entry));
    images.push([
      tag.replace('docker.io/library/', '').replace('docker.io/', ''),
      {
        rootfs: path.resolve(await run('podman', 'image', 'mount', tag)),
        entrypoint: Entrypoint ?? [],
        cmd: Cmd ?? [],
        env: Object.fromEntries(
          variables.map((match) => [match?.groups?.['name'] ?? '', match?.groups?.['value'] ?? '']),
        ),
        user: Number.parseInt(User ?? '0', 10) || 0,
        workingDir: WorkingDir || '/',
      },
    ]);
  }
  return Object.fromEntries(images);
}
