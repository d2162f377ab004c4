import { isMap, isSeq, parseDocument } from 'yaml';

/** The images of a release by their names, such as `api`: each with its registry and its digest. */
export type ReleasedImages = ReadonlyMap<string, string>;

const IMAGE =
  /^(?<repository>[a-z0-9][a-z0-9./_:-]*\/(?<name>[a-z0-9-]+))@(?<digest>sha256:[0-9a-f]{64})$/;

/** Returns the images of `lines`, one such as `ghcr.io/owner/repository/api@sha256:…` on each. Throws when a line is another. */
export function readImages(lines: readonly string[]): ReleasedImages {
  return new Map(
    lines.map((line) => {
      const name = IMAGE.exec(line)?.groups?.['name'];
      if (name === undefined) throw new Error(`no image with a digest: ${line}`);
      return [name, line];
    }),
  );
}

/**
 * Returns the kustomization `text` with every image of this service by the digest of `images`, and all else as it is. Throws
 * when it names an image that is not among them.
 */
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
  // The agents' images are the value of a variable.
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
