-- Holds jobs of the partitions that Penstock governs, so that Penstock decides when and where they start.
--
-- Install beside slurm.conf as job_submit.lua, with JobSubmitPlugins=lua. Beside it lies
-- penstock_partitions.conf: one partition a line, '#' begins a comment. It is read at every
-- submission; without it nothing is governed. Whatever goes wrong here, the job is left as it came.
--
-- A line `alive=PATH SECONDS` names the file in which the daemon shows that it lives (serve.heartbeat
-- in its configuration): jobs are held only while that is not older than SECONDS (at least 10: it is
-- written every 3). So a daemon that is gone holds up no new job.
--
-- A job that is held here carries "penstock: held" in its admin comment. A job that its owner holds
-- (sbatch --hold) is left alone: it is not Penstock's to release.

local MARK = "penstock: held"

local function here()
  local source = debug.getinfo(1, "S").source
  return source:match("^@(.*/)[^/]*$") or "/etc/slurm/"
end

local CONF = here() .. "penstock_partitions.conf"

-- The file has seconds since 1970. One from the future is as bad as an old one: a clock was set.
local function is_alive(path, patience)
  local file = io.open(path, "r")
  if file == nil then return false end
  local beat = tonumber(file:read("*l"))
  file:close()
  return beat ~= nil and math.abs(os.time() - beat) <= patience
end

local function governed_partitions()
  local governed, alive = {}, true
  local file = io.open(CONF, "r")
  if file == nil then return governed end
  for line in file:lines() do
    local text = line:gsub("#.*", "")
    local path, patience = text:match("^%s*alive=(.-)%s+(%d+)%s*$")
    local name = text:match("^%s*(%S+)%s*$")
    if path ~= nil then
      alive = is_alive(path, tonumber(patience))
    elseif name ~= nil then
      governed[name] = true
    end
  end
  file:close()
  return alive and governed or {}
end

local function default_partition(part_list)
  for name, partition in pairs(part_list) do
    if partition.flag_default == 1 then return name end
  end
  return nil
end

-- A job that may start in several partitions is governed if one of them is.
local function is_governed(job_desc, part_list)
  local wanted = job_desc.partition or default_partition(part_list)
  if wanted == nil then return false end
  local governed = governed_partitions()
  for name in string.gmatch(wanted, "[^,]+") do
    if governed[name] then return true end
  end
  return false
end

local function hold(job_desc, part_list)
  if job_desc.priority == 0 or not is_governed(job_desc, part_list) then return end
  job_desc.priority = 0
  job_desc.admin_comment = MARK
end

function slurm_job_submit(job_desc, part_list, submit_uid)
  local fine, problem = pcall(hold, job_desc, part_list)
  if not fine then slurm.log_error("penstock: the job is left as it came: %s", tostring(problem)) end
  return slurm.SUCCESS
end

function slurm_job_modify(job_desc, job_rec, part_list, modify_uid)
  return slurm.SUCCESS
end

return slurm.SUCCESS
