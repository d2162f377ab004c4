import { runMain } from '@session/kit';
import { provideBaseFiles } from './base-images.ts';

// Makes the base images before the tests need them. CI does this beside other tests: it mostly waits for downloads.
await runMain(async () => void (await provideBaseFiles()));
