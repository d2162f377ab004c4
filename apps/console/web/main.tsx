import './style/theme.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app/app.tsx';
import { preloadFirstPage } from './app/router.tsx';
import { loadConfig } from './service/config.ts';
import { demoKeyIn, takeDemoKey } from './service/demo-key.ts';
import { keptSingleKeys, keptTheme } from './service/kept-choice.ts';
import { SignIn } from './service/sign-in.ts';

const element = document.getElementById('root');
if (!element) throw new Error('index.html has no element #root');
const root = createRoot(element);
try {
  // `localStorage` throws in a browser that keeps no data for this page.
  const theme = keptTheme(localStorage, document.documentElement);
  takeDemoKey(localStorage);
  // An address with a key may be opened in a tab that shows the console already. The browser then does not load the page.
  addEventListener('hashchange', () => {
    if (takeDemoKey(localStorage)) location.reload();
  });
  const signIn = new SignIn(localStorage);
  preloadFirstPage(signIn.token() !== null);
  // The code of the API's client is loaded while the configuration, which has the API's address, is read.
  const [config, { createService }] = await Promise.all([
    loadConfig(),
    import('./service/create-service.ts'),
  ]);
  const service = createService({
    config,
    demoKey: demoKeyIn(localStorage),
    signIn,
    theme,
    singleKeys: keptSingleKeys(localStorage),
  });
  root.render(
    <StrictMode>
      <App service={service} />
    </StrictMode>,
  );
} catch (error) {
  const { Unstarted } = await import('./app/unstarted.tsx');
  root.render(<Unstarted error={error} />);
}
