import { useEffect, useState } from 'preact/hooks';
import type { Session } from '../session.js';
import { openRecording } from './recordings.js';

/** Opens a recording that is dropped anywhere on the page. */
export function DropTarget({ session }: { session: Session }) {
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    const aborter = new AbortController();
    const on = (type: 'dragenter' | 'dragover' | 'dragleave' | 'drop', act: (event: DragEvent) => void) =>
      addEventListener(type, (event) => event.dataTransfer?.types.includes('Files') && act(event), aborter);
    on('dragenter', () => setOver(true));
    // Otherwise the browser replaces the page with the file.
    on('dragover', (event) => event.preventDefault());
    // Of the window, not of one of its elements for another.
    on('dragleave', ({ relatedTarget }) => relatedTarget ?? setOver(false));
    on('drop', (event) => {
      event.preventDefault();
      setOver(false);
      const file = event.dataTransfer?.files[0];
      if (file) void openRecording(session, file);
    });
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
