import { useMessages } from "../catalog/i18n";
import { listSort, SORTS, type SortName } from "../catalog/sorts";
import { SelectMenu } from "./Menu";

interface SortMenuProps {
  value: SortName;
  sorts?: readonly SortName[];
  onChange: (sort: SortName) => void;
}

const ALL = SORTS.map(({ name }) => name);

/** The order of a list of characters. */
export function SortMenu({ value, sorts = ALL, onChange }: SortMenuProps) {
  const t = useMessages("sort");
  const options = sorts.map((sort) => ({ value: sort, label: t(listSort(sort)) }));
  return <SelectMenu label={t("by")} value={value} options={options} onChange={onChange} />;
}
