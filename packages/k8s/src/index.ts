export { type ApiServer, openApiServer } from './api-server.ts';
export { KubernetesLauncher, type KubernetesLauncherOptions } from './kubernetes-launcher.ts';
export type { AgentImage } from './pod-spec.ts';
