/** Why there is no speech server, in one sentence that ends with what the user can do. */
export class SpeechUnavailable extends Error {
  override readonly name = 'SpeechUnavailable';
}
