import { inject } from 'vitest';
import type { BaseImages } from './base-images.ts';
import type { BuiltImage } from './build-images.ts';

/** What the run's global setup provides: the images, and the folders from which a test can build them again. */
export interface ImagesContext {
  readonly images: readonly BuiltImage[];
  readonly standIns: readonly string[];
  readonly kubetest: string;
  readonly podmanCompose: string;
  readonly storage: string;
  readonly bases: BaseImages;
  readonly context: string;
}

declare module 'vitest' {
  interface ProvidedContext {
    images: ImagesContext;
  }
}

export function testImages(): ImagesContext {
  return inject('images');
}
