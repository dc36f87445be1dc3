import type { MapNode } from "@/shared/api/types";

/** A stretch of a chat without a fork, from the first message after one to the next, or to an end. */
export interface Branch {
  /** Its first message. */
  first: MapNode;
  /** Its last message, where others begin or nothing follows. */
  last: MapNode;
  /** Messages in it. */
  count: number;
  /** On the path that is shown. */
  shown: boolean;
  /** The path that is shown ends here. */
  here: boolean;
  next: Branch[];
}

/** The map of a chat as branches; what hangs from nowhere, as when pages of it are missing, begins one. */
export function branchesOf(nodes: readonly MapNode[], leafId: string): Branch[] {
  const known = new Map(nodes.map((node) => [node._id, node]));
  const below = new Map<string | null, MapNode[]>();
  for (const node of nodes) {
    const parent = node.parentId !== null && known.has(node.parentId) ? node.parentId : null;
    below.set(parent, [...(below.get(parent) ?? []), node]);
  }
  const path = new Set<string>();
  for (let at = known.get(leafId); at; at = at.parentId === null ? undefined : known.get(at.parentId)) {
    path.add(at._id);
  }

  const roots: Branch[] = [];
  // A list of what is left to do instead of recursion: a chat can be thousands of messages deep.
  const open: { first: MapNode; into: Branch[] }[] = [];
  const later = (parent: string | null, into: Branch[]) => {
    for (const first of (below.get(parent) ?? []).toReversed()) open.push({ first, into });
  };
  later(null, roots);
  for (let task = open.pop(); task; task = open.pop()) {
    const { first, into } = task;
    let last = first;
    let count = 1;
    for (let next = below.get(last._id); next?.length === 1 && next[0]; next = below.get(last._id)) {
      last = next[0];
      count++;
    }
    const branch: Branch = {
      first,
      last,
      count,
      shown: path.has(first._id),
      here:
        path.has(first._id) &&
        (last._id === leafId || !(below.get(last._id) ?? []).some((n) => path.has(n._id))),
      next: [],
    };
    into.push(branch);
    later(last._id, branch.next);
  }
  return roots;
}

/** A branch as a row of the map. */
export interface Row {
  branch: Branch;
  /** How many forks off the line it stands on. */
  depth: number;
}

/**
 * The branches as rows. What goes on the way that is shown, or the newest one, stays on its line; the others stand
 * between, one step in.
 */
export function rowsOf(branches: readonly Branch[]): Row[] {
  const rows: Row[] = [];
  const open: Row[] = [];
  const later = (of: readonly Branch[], depth: number) => {
    const main = of.find(({ shown }) => shown) ?? of.at(-1);
    if (main) open.push({ branch: main, depth });
    for (const branch of of.toReversed()) if (branch !== main) open.push({ branch, depth: depth + 1 });
  };
  later(branches, 0);
  for (let row = open.pop(); row; row = open.pop()) {
    rows.push(row);
    later(row.branch.next, row.depth);
  }
  return rows;
}
