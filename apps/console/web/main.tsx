import './style/theme.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app/app.tsx';
import { loadConfig } from './service/config.ts';
import { createService } from './service/service.ts';
import { SignIn } from './service/sign-in.ts';

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no element #root');
const service = createService(await loadConfig(), new SignIn(localStorage));
createRoot(root).render(
  <StrictMode>
    <App service={service} />
  </StrictMode>,
);
