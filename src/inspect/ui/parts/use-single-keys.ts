import { useEffect, useState } from 'preact/hooks';

const KEY = 'skein-single-keys';

/** Whether keys of one character do something, kept for the next time: who speaks to the machine types many that mean nothing. */
export function useSingleKeys(): { readonly areOn: boolean; readonly setOn: (on: boolean) => void } {
  const [areOn, setOn] = useState(localStorage.getItem(KEY) !== 'off');
  useEffect(() => localStorage.setItem(KEY, areOn ? 'on' : 'off'), [areOn]);
  return { areOn, setOn };
}
