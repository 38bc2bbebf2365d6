import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Dashboard } from '../live/dashboard.ts';
import type { PageState } from '../live/page-state.ts';
import { useStore } from '../live/use-store.ts';

/** The dashboard that the views belong to. */
export const DashboardContext = createContext<Dashboard | undefined>(undefined);

/** The dashboard around a view. */
export function useDashboard(): Dashboard {
  const dashboard = useContext(DashboardContext);
  if (!dashboard) throw new Error('A view is drawn outside of a dashboard');
  return dashboard;
}

/** A part of what is known; see {@link useStore}. */
export function usePage<Part>(pick: (state: PageState) => Part): Part {
  return useStore(useDashboard().store, pick);
}
