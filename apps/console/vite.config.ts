import tailwindcss from '@tailwindcss/vite';
import { defineConfig } from 'vite';

// The pages are built from the TypeScript sources of our packages.
export default defineConfig({
  logLevel: 'error',
  root: 'web',
  plugins: [tailwindcss()],
  resolve: { conditions: ['@source', 'module', 'browser', 'development|production'] },
  build: {
    outDir: '../dist/web',
    emptyOutDir: true,
    target: ['chrome120', 'firefox121', 'safari17.4'],
    // A data: address would need its own exception in the Content-Security-Policy.
    assetsInlineLimit: 0,
  },
});
