import type { Session } from '../session.js';
import { counted } from '../shared/format.js';
import { attempt, notify } from '../shared/notices.js';

/** The server's result for a recording. */
interface Opened {
  readonly added: number;
  /** The newest. */
  readonly id?: string;
  readonly skipped: number;
  /** The first lines that were skipped. */
  readonly problems?: readonly { readonly line: number; readonly reason: string }[];
}

const MOST_BYTES = 64 * 1024 * 1024;

/** `12 deliveries added, 1 line skipped. Line 3: …` */
function outcome({ added, skipped, problems: [problem] = [] }: Opened): string {
  const skips = skipped > 0 ? `, ${counted(skipped, 'line')} skipped` : '';
  const why = problem ? ` Line ${problem.line}: ${problem.reason}` : '';
  return `${counted(added, 'delivery', 'deliveries')} added${skips}.${why}`;
}

/** Shows the deliveries of a recording. Nothing is sent. */
async function openRecording({ api, show }: Session, file: File): Promise<void> {
  if (file.size > MOST_BYTES) return notify('The recording is larger than 64 MiB.', 'bad');
  await attempt(async () => {
    const opened: Opened = await api.upload('recordings', file, 'application/x-ndjson');
    if (opened.id !== undefined) show(opened.id);
    notify(outcome(opened), opened.skipped > 0 ? 'bad' : 'good');
  });
}

/** Saves deliveries as a file. (Default: all.) */
export async function saveRecording({ api }: Session, ids?: readonly string[]): Promise<void> {
  await attempt(async () => {
    const response = await api.download('recording', { ids });
    const url = URL.createObjectURL(await response.blob());
    const link = document.createElement('a');
    link.href = url;
    link.download = 'deliveries.ndjson';
    link.click();
    // Firefox reads it later.
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
    const omitted = Number(response.headers.get('X-Deliveries-Omitted'));
    if (omitted > 0)
      notify(`${counted(omitted, 'delivery', 'deliveries')} left out: their bodies are no longer kept.`, 'bad');
  });
}

/** Opens recorded deliveries, which are shown and never sent, and saves those of the list. */
export function Recordings({ session }: { session: Session }) {
  const isEmpty = session.store.all().length === 0;
  function onChange({ currentTarget }: { currentTarget: HTMLInputElement }): void {
    const [file] = currentTarget.files ?? [];
    if (file) void openRecording(session, file);
    // The same file can be chosen again.
    currentTarget.value = '';
  }
  return (
    <section class="card">
      <h2>Recordings</h2>
      <p class="muted">Choose a file of listen --record, or drop it here. It is shown, and nothing is sent.</p>
      <input type="file" accept=".ndjson,.jsonl,.json,.txt" aria-label="Recording" onChange={onChange} />
      <button type="button" disabled={isEmpty} onClick={() => void saveRecording(session)}>
        Export all
      </button>
    </section>
  );
}
