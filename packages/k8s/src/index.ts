export { type ApiServer, openApiServer } from './api-server.ts';
export { checkPod } from './check-pod.ts';
export { KubernetesLauncher, type KubernetesLauncherOptions } from './kubernetes-launcher.ts';
export type { AgentImage, PodOptions } from './pod-spec.ts';
