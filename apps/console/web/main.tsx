import './style/theme.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app/app.tsx';
import { Unstarted } from './app/unstarted.tsx';
import { loadConfig } from './service/config.ts';
import { createService } from './service/service.ts';
import { SignIn } from './service/sign-in.ts';
import { Theme } from './service/theme.ts';

const element = document.getElementById('root');
if (!element) throw new Error('index.html has no element #root');
const root = createRoot(element);
const theme = new Theme(localStorage, document.documentElement);
try {
  const service = createService(await loadConfig(), new SignIn(localStorage), theme);
  root.render(
    <StrictMode>
      <App service={service} />
    </StrictMode>,
  );
} catch (error) {
  root.render(<Unstarted error={error} />);
}
