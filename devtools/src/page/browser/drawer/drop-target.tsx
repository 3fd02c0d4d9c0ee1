import { useEffect, useState } from 'preact/hooks';
import type { Session } from '../session.js';
import { openRecording } from './recordings.js';

/** Opens a recording that is dropped anywhere on the page. */
export function DropTarget({ session }: { session: Session }) {
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    // dragenter of a child fires before dragleave of its parent.
    let depth = 0;
    const hasFile = ({ dataTransfer }: DragEvent) => dataTransfer?.types.includes('Files') ?? false;
    const moved = (change: number) => (event: DragEvent) => {
      if (!hasFile(event)) return;
      depth = Math.max(0, depth + change);
      setOver(depth > 0);
    };
    const over = (event: DragEvent) => {
      // Otherwise the browser replaces the page with the file.
      if (hasFile(event)) event.preventDefault();
    };
    const drop = (event: DragEvent) => {
      depth = 0;
      setOver(false);
      const file = event.dataTransfer?.files[0];
      // A part of the page that accepts files has prevented the default.
      if (!file || event.defaultPrevented) return;
      event.preventDefault();
      void openRecording(session, file);
    };
    const aborter = new AbortController();
    const { signal } = aborter;
    addEventListener('dragenter', moved(1), { signal });
    addEventListener('dragleave', moved(-1), { signal });
    addEventListener('dragover', over, { signal });
    addEventListener('drop', drop, { signal });
    return () => aborter.abort();
  }, [session]);
  return (
    isOver && (
      <div class="drop-overlay">
        <p>Drop a recording to show its deliveries</p>
      </div>
    )
  );
}
