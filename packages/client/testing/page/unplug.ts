/** Notes the microphones that a page opens, and returns a function that ends them all as an unplugged device does. */
export function watchUnplug(): () => void {
  const tracks = new Set<MediaStreamTrack>();
  // A page without TLS has no `mediaDevices`.
  if ('mediaDevices' in navigator) {
    const { mediaDevices } = navigator;
    const open = mediaDevices.getUserMedia.bind(mediaDevices);
    mediaDevices.getUserMedia = async (constraints) => {
      const stream = await open(constraints);
      for (const track of stream.getTracks()) tracks.add(track);
      return stream;
    };
  }
  return () => {
    for (const track of tracks) {
      if (track.readyState === 'ended') continue;
      // A page that stops a track itself gets no event.
      track.stop();
      track.dispatchEvent(new Event('ended'));
    }
  };
}
