import { inject } from 'vitest';
import type { BaseImages } from './base-images.ts';
import type { BuiltImage } from './build-images.ts';

/** What the run's global setup provides: the images, and the folders from which a test can build them again. */
export interface ImagesContext {
  readonly images: readonly BuiltImage[];
  /** The tags of the images that stand for those of others. */
  readonly standIns: readonly string[];
  /** The test cluster's program. */
  readonly kubetest: string;
  readonly podmanCompose: string;
  /** The folder of the storage. */
  readonly storage: string;
  readonly bases: BaseImages;
  /** The folder that the images are built from. */
  readonly context: string;
}

declare module 'vitest' {
  interface ProvidedContext {
    images: ImagesContext;
  }
}

/** Returns the images of the run. */
export function testImages(): ImagesContext {
  return inject('images');
}
