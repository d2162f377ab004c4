import { isMap, isSeq, parseDocument } from 'yaml';

export type ReleasedImages = ReadonlyMap<string, string>;

const IMAGE =
  /^(?<repository>[a-z0-9][a-z0-9./_:-]*\/(?<name>[a-z0-9-]+))@(?<digest>sha256:[0-9a-f]{64})$/;

/** Reads lines such as `ghcr.io/owner/repository/api@sha256:…` into images by their names. Throws on any other line. */
export function readImages(lines: readonly string[]): ReleasedImages {
  return new Map(
    lines.map((line) => {
      const name = IMAGE.exec(line)?.groups?.['name'];
      if (name === undefined) throw new Error(`no image with a digest: ${line}`);
      return [name, line];
    }),
  );
}

/** Returns the kustomization `text` with the digest of each of our images. Throws when `images` lacks one. */
export function pinImages(text: string, images: ReleasedImages): string {
  const document = parseDocument(text);
  const list = document.get('images');
  if (!isSeq(list)) throw new Error('no images in the kustomization');
  for (const item of list.items) {
    if (!isMap(item)) throw new Error('an image is not a map');
    const match = IMAGE.exec(imageOf(images, String(item.get('name'))));
    item.set('newName', match?.groups?.['repository']);
    item.set('digest', match?.groups?.['digest']);
    item.delete('newTag');
  }
  // A variable holds the agents' images.
  return document
    .toString({ lineWidth: 0 })
    .replace(/^( *- AGENT_IMAGES=)(.*)$/m, (_, before: string, value: string) => {
      const agents = value.split(',').map((entry) => {
        const [role = '', image = ''] = entry.split('=');
        return `${role}=${imageOf(images, image.replace(/:[^:/]+$/, ''))}`;
      });
      return `${before}${agents.join(',')}`;
    });
}

function imageOf(images: ReleasedImages, repository: string): string {
  const name = repository.split('/').at(-1) ?? '';
  const image = images.get(name);
  if (image === undefined) throw new Error(`the release has no image ${name}`);
  return image;
}
