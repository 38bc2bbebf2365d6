import { useEffect, useState } from 'preact/hooks';

/** `auto`: as the system says. */
export type Theme = 'auto' | 'light' | 'dark';

const KEY = 'skein-theme';
const NEXT: Readonly<Record<Theme, Theme>> = { auto: 'light', light: 'dark', dark: 'auto' };

/** The colours of the page, kept for the next time, and how to take the next ones. */
export function useTheme(): { readonly theme: Theme; readonly next: () => void } {
  const [theme, setTheme] = useState<Theme>(kept());
  useEffect(() => {
    localStorage.setItem(KEY, theme);
    document.documentElement.dataset['theme'] = theme;
  }, [theme]);
  return { theme, next: () => setTheme((before) => NEXT[before]) };
}

function kept(): Theme {
  const text = localStorage.getItem(KEY);
  return text === 'light' || text === 'dark' ? text : 'auto';
}
