export function KeysDrawing() {
  return (
    <svg viewBox="0 0 360 72" className="h-18 w-full max-w-90" aria-hidden="true">
      {[92, 64, 118].map((width, index) => (
        <g key={width} transform={`translate(0 ${index * 24})`}>
          <rect x="0" y="6" width={width} height="8" rx="4" className="fill-ink-3/50" />
          <g className="fill-iris">
            {[0, 1, 2, 3, 4, 5].map((dot) => (
              <circle key={dot} cx={156 + dot * 12} cy="10" r="3" />
            ))}
          </g>
          <rect x="0" y="22" width="360" height="1" className="fill-line" />
        </g>
      ))}
    </svg>
  );
}

export function StepsDrawing() {
  return (
    <svg viewBox="0 0 360 72" className="h-18 w-full max-w-90" aria-hidden="true">
      <rect x="7" y="10" width="2" height="48" className="fill-line" />
      {[150, 210, 110].map((width, index) => (
        <g key={width} transform={`translate(0 ${index * 24})`}>
          <circle
            cx="8"
            cy="10"
            r="6"
            className={index === 0 ? 'fill-iris' : 'fill-surface stroke-ink-3'}
            strokeWidth="1.5"
          />
          <rect x="28" y="6" width={width} height="8" rx="4" className="fill-ink-3/50" />
        </g>
      ))}
    </svg>
  );
}

export function AgentDrawing() {
  return (
    <svg viewBox="0 0 360 72" className="h-18 w-full max-w-90" aria-hidden="true">
      <circle cx="20" cy="36" r="19" className="fill-iris-soft stroke-iris" strokeWidth="1.5" />
      <rect x="10" y="32" width="20" height="8" rx="4" className="fill-iris" />
      <rect x="56" y="10" width="180" height="8" rx="4" className="fill-ink-3/50" />
      <rect x="56" y="32" width="240" height="8" rx="4" className="fill-ink-3/50" />
      <rect x="56" y="54" width="120" height="8" rx="4" className="fill-ink-3/50" />
    </svg>
  );
}
