import tailwindcss from '@tailwindcss/vite';
import { defineConfig, type Plugin } from 'vite';
import { precompress } from './precompress.ts';

/** Answers `GET /config.json` during development, when the console's server does not run. */
const developmentConfig: Plugin = {
  name: 'development-config',
  configureServer({ middlewares }) {
    const config = JSON.stringify({ apiUrl: process.env['CONSOLE_API_URL'] });
    middlewares.use('/config.json', (_request, response) => {
      response.setHeader('content-type', 'application/json').end(config);
    });
  },
};

const compressed: Plugin = {
  name: 'compressed',
  writeBundle: async ({ dir = '' }) => {
    const quality = process.env['BROTLI_QUALITY'];
    await precompress(dir, quality === undefined ? undefined : Number(quality));
  },
};

/** What each page needs, and what several pages share. Without these groups a page requests 40 small files, in a chain. */
const SHARED = [
  {
    name: 'vendor',
    priority: 1,
    test: /node_modules[\\/](?:react|react-dom|scheduler|use-sync-external-store|@tanstack[\\/](?!react-virtual|virtual-core)[\w-]+)[\\/]/,
  },
  {
    name: 'shared',
    minShareCount: 3,
    // A signed-out visitor needs no menu, and menus load Base UI.
    test: /apps[\\/]console[\\/]web[\\/](?!.*menu)|lucide-react/,
  },
];

// The pages are built from the TypeScript sources of our packages.
export default defineConfig({
  logLevel: 'error',
  root: 'web',
  plugins: [tailwindcss(), developmentConfig, compressed],
  resolve: {
    conditions: ['@source', 'module', 'browser', 'development|production'],
    // Our version of React has the hook itself.
    alias: {
      'use-sync-external-store/shim/with-selector': 'use-sync-external-store/with-selector',
    },
  },
  build: {
    outDir: '../dist/web',
    emptyOutDir: true,
    // Every browser of `target` preloads modules.
    modulePreload: { polyfill: false },
    target: ['chrome120', 'firefox121', 'safari17.4'],
    // A data: address would need its own exception in the Content-Security-Policy.
    assetsInlineLimit: 0,
    rolldownOptions: {
      output: { codeSplitting: { includeDependenciesRecursively: false, groups: SHARED } },
    },
  },
});
